"""Everyday Chinese words and the English ones for the same thing, so that what was said in one is found by the other.

Names have no translation and need none. More than 60: without them recall@10 by words alone falls by .02.
"""

# ruff: noqa: E501 - words read as words
from typing import Final

# A thing a group, parted by semicolons: the English words, "_" for a space, then the Chinese ones.
TABLE: Final = """
    coffee espresso latte 咖啡 拿铁; tea 茶 茶叶 喝茶; green_tea 绿茶; black_tea 红茶; milk 牛奶; milk_tea bubble_tea 奶茶; beer 啤酒;
    wine red_wine 红酒 葡萄酒; alcohol liquor 酒 酒精 白酒; juice 果汁; water 水; cola coke 可乐; soup 汤; rice 米饭 饭;
    noodles noodle 面条 面; ramen 拉面; dumplings dumpling 饺子; hotpot hot_pot 火锅; sushi 寿司; pizza 披萨 比萨;
    pasta spaghetti 意大利面 意面; bread 面包; cheese 奶酪 芝士; chocolate 巧克力; cake 蛋糕; ice_cream 冰淇淋 冰激凌; sugar 糖; salt 盐;
    eggs egg 鸡蛋 蛋; meat 肉; beef 牛肉; pork 猪肉; lamb mutton 羊肉; chicken 鸡肉 鸡; fish 鱼; seafood 海鲜;
    shrimp shrimps prawn prawns 虾 虾仁; crab crabs 螃蟹 蟹; shellfish 贝类 甲壳类; peanuts peanut 花生; nuts nut 坚果;
    soy soya 大豆; tofu 豆腐; mushrooms mushroom 蘑菇; tomatoes tomato 西红柿 番茄; potatoes potato 土豆; onions onion 洋葱;
    garlic 大蒜 蒜; ginger 姜; coriander cilantro 香菜; pepper chili chilli 辣椒; spicy_food spicy 辣 辣的 吃辣;
    sweets candy 甜食 糖果; vegetables vegetable 蔬菜 菜; fruit fruits 水果; apples apple 苹果; bananas banana 香蕉;
    oranges orange 橙子 橘子; strawberries strawberry 草莓; mangoes mango mangos 芒果; durian 榴莲; watermelon 西瓜;
    lactose 乳糖; gluten 麸质; breakfast 早餐 早饭; lunch 午餐 午饭; dinner 晚餐 晚饭; cat cats kitten kitty 猫 猫咪 小猫;
    dog dogs puppy 狗 狗狗 小狗; rabbit rabbits bunny 兔子; hamster hamsters 仓鼠; parrot parrots 鹦鹉; birds bird 鸟 小鸟;
    turtle tortoise 乌龟; goldfish 金鱼; horse horses 马; snakes snake 蛇; spiders spider 蜘蛛; pet pets 宠物; pollen 花粉;
    dust 灰尘 粉尘; penicillin 青霉素; mother mom mum mama 妈妈 母亲 妈 老妈; father dad papa 爸爸 父亲 爸 老爸; parents 父母 爸妈;
    sister sisters 妹妹 姐姐 姐妹; brother brothers 弟弟 哥哥 兄弟; son sons 儿子; daughter daughters 女儿;
    child children kid kids baby 孩子 小孩 宝宝; wife 妻子 老婆 太太; husband 丈夫 老公; girlfriend 女朋友 女友 女朋; boyfriend 男朋友 男友 男朋;
    grandmother grandma granny 奶奶 外婆 姥姥; grandfather grandpa 爷爷 外公 姥爷; friend friends 朋友;
    colleague colleagues coworker 同事; boss manager 老板 上司 领导; roommate flatmate 室友; neighbour neighbor 邻居;
    teacher 老师 教师; doctor physician 医生 大夫; nurse 护士; engineer 工程师; programmer developer 程序员; lawyer 律师; student 学生;
    designer 设计师; accountant 会计; driver 司机; cook chef 厨师; journalist 记者; job work occupation profession 工作 职业;
    company employer firm 公司 单位; school 学校; university college 大学; music 音乐; jazz 爵士 爵士乐; rock rock_music 摇滚;
    song songs 歌 歌曲; piano 钢琴; guitar 吉他; violin 小提琴; drums 鼓; films film movie movies 电影 影片; books book 书;
    novels novel 小说; games game video_games 游戏; chess 国际象棋 象棋; football soccer 足球; basketball 篮球; tennis 网球;
    badminton 羽毛球; table_tennis ping_pong 乒乓球; swimming swim 游泳; running run jogging 跑步; hiking hike 徒步 远足;
    climbing 攀岩 爬山; cycling cycle 骑行 骑车 骑自行车; skiing ski 滑雪; yoga 瑜伽; dancing dance 跳舞 舞蹈; singing sing 唱歌;
    drawing painting paint draw 画画 绘画; photography 摄影 拍照; cooking 做饭 烹饪; baking 烘焙; gardening 园艺;
    reading read 读书 阅读 看书; writing 写作; sleep 睡觉; car cars 车 汽车; bike bicycle 自行车; house 房子; flat apartment 公寓;
    phone telephone 手机 电话; computer 电脑; birthday 生日; name 名字 姓名; address 地址 住址; allergy allergic allergies 过敏;
    vegetarian 素食 吃素 素食者; vegan 纯素; pregnant pregnancy 怀孕; married wedding marry 结婚 婚礼; divorced 离婚; single 单身;
    smoking smoke cigarettes 抽烟 吸烟 烟 戒烟; drinking drink 喝; eating eat 吃; like love enjoy 喜欢 爱; hate dislike 讨厌 不喜欢;
    live 住 居住; asthma 哮喘; diabetes 糖尿病; migraine migraines 偏头痛; insomnia 失眠; winter 冬天; summer 夏天; spring 春天;
    autumn 秋天; rain 雨 下雨; snow 雪 下雪; sea beach 大海 海边 海滩; mountain mountains 山; red 红色; blue 蓝色; green 绿色; black 黑色;
    white 白色; yellow 黄色; purple 紫色; pink 粉色; colour color 颜色; food 食物 吃的; English 英语 英文;
    Chinese Mandarin 中文 汉语 普通话; Japanese 日语; French 法语; German 德语; Spanish 西班牙语; China 中国; Japan 日本;
    America USA the_United_States 美国; England UK Britain 英国; France 法国; Germany 德国; Beijing 北京; Shanghai 上海;
    Guangzhou 广州; Shenzhen 深圳; Hangzhou 杭州; Chengdu 成都; Hong_Kong 香港; Taipei 台北; Tokyo 东京; Osaka 大阪; Kyoto 京都;
    Seoul 首尔; Singapore 新加坡; London 伦敦; Paris 巴黎; Berlin 柏林; Munich 慕尼黑; Rome 罗马; New_York 纽约; meeting 会议 开会;
    interview 面试; exam test 考试; dentist 牙医; flight plane 航班 飞机;
    trip holiday vacation travelling traveling travel 旅行 假期 旅游; password 密码; education degree 学历 学位 教育;
    email 邮箱 邮件; hometown 家乡 老家; age 年龄 年纪 岁; height tall 身高; weight weigh 体重; hobby hobbies 爱好 兴趣;
    place location venue 地点 地方 位置; price cost 价格 价钱; hospital 医院; surgery operation 手术; medicine medication 药;
    restaurant 餐厅 饭店 餐馆 饭馆; workout gym fitness 健身; marathon 马拉; afraid fear scared 害怕; salary income 工资 收入
"""
# The same character where it says something else.
ELSEWHERE: Final = "薪水|水平|水果|面试|面对|见面|里面|外面|对面|方面|下面|上面|马上|马路|山东|山西|爱人|爱情|可爱|爱好|住址|鼓励|雪碧|书记|车间|表面|蛋糕|歌手|盐城"
