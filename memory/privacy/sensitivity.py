# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be
# read
"""Judge the weight paper's four levels of sensitivity by what a text says."""

from __future__ import annotations

import re
from typing import Final

from memory.models import Sensitivity
from memory.privacy.redaction import redact

_PRIVATE: Final = re.compile(
    r"""
    (?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,6}                                                   # e-mail
    | (?<![\d.])1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)                                 # Chinese mobile
    | (?<![\d.])\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d(?:[ -]?\d){6,12}(?!\d)       # international
    | (?<![\d.])\(?\d{3}\)?[ -]\d{3}[ -]\d{4}(?!\d)                                # North American
    | \b(?:phone|mobile|cell|telephone|whatsapp)(?:\s{1,9}number)?\s{0,9}(?:is|:)\s{0,9}\+?\d[\d -]{5,24}
    | (?:电话|手机|手机号|座机|号码)[^\d\n]{0,6}\+?\d[\d -]{5,24}
    | (?:微信|QQ|wechat|weixin|line|telegram)\s{0,9}(?:号|id|number|handle)\s{0,9}(?:是|为|is|:|：)?\s{0,9}\S{4,40}
    | \b(?:home|postal|mailing|street|delivery|my|our)\s{1,9}address\b
    | \b\d{1,5}[a-z]?\s{1,9}(?:\w+\s{1,9}){0,3}(?:street|st|road|rd|avenue|ave|boulevard|blvd|lane|ln|drive|way|square|court|terrace)\b
    | \b(?:apartment|apt|flat|unit|suite)\s{0,9}\#?\d{1,9}
    | \b\w{2,40}(?:stra(?:ß|ss)e|weg|platz|allee|gasse)\s{1,9}\d{1,4}\b
    | \b(?:rue|avenue|via|calle)\s{1,9}(?:[\w'’-]+\s{1,9}){1,4}\d{1,4}\b | \b\d{1,4},?\s{1,9}(?:bis\s{1,9})?(?:rue|avenue|boulevard)\s
    | [\u4e00-\u9fff]{1,12}(?:路|街|道|巷|弄|胡同)\s{0,9}[\d一二三四五六七八九十百]+\s{0,9}(?:号|弄|巷)
    | [\d一二三四五六七八九十百]+\s{0,9}(?:号楼|栋|幢|单元)
    | (?:家庭)?(?:住址|地址)(?:是|为|:|：|在)
    | \b(?:salary|income|net\s{1,9}worth|savings|debts?|mortgage)\s{1,9}(?:is|are|of|:)\s{0,9}\D{0,8}\d
    | \b(?:earn|make)s?\s{1,9}\D{0,6}\d[\d,.]{0,12}\s{0,9}k?\s{0,9}(?:\w{1,20}\s{1,9})?(?:a|per)\s{1,9}(?:month|year|week|hour)\b
    | (?:工资|月薪|年薪|薪水|收入|存款|负债|欠款|房贷)\D{0,6}\d
    | \bpassport\s{1,9}(?:number|no)\b | 护照号 | \b(?:driver'?s\s{1,9}licen[cs]e|licen[cs]e\s{1,9}plate)\b | 车牌号?(?:是|为|:|：)
    | \b(?:hiv|std|abortion|suicid\w+|self-harm)\b | 艾滋|自杀|自残|堕胎
    """,
    re.I | re.X,
)

_GENERAL: Final = re.compile(
    r"""
    \b(?:
      (?:work(?:s|ing|ed)?\s{1,9}(?:as|at|for|in)) | job | jobs | career | employ(?:er|ed|ee|ment) | unemployed | boss | colleagues? | coworkers?
      | occupation | profession | freelanc\w+ | retired | salary | startup\s{1,9}founder
      | (?:I\s{1,9}am|I'm|is)\s{1,9}an?\s{1,9}(?:\w+\s{1,9})?(?:doctor|nurse|teacher|lawyer|engineer|developer|programmer|designer|student|pilot
        |accountant|manager|scientist|researcher|journalist|writer|chef|waiter|waitress|driver|architect|dentist|pharmacist|professor)
      | degree | university | college | school | graduat\w+ | ph\.?d | bachelor'?s? | master'?s\s{1,9}degree | major(?:ed|s)?\s{1,9}in | thesis
      | allerg\w+ | intoleran\w+ | diabet\w+ | asthma\w* | depress(?:ed|ion) | anxiety | adhd | autis\w+ | cancer | illness | disease | disorder | diagnos\w+
      | medic(?:ine|ation|al) | pills? | therap(?:y|ist) | surgery | hospital | pregnan\w+ | blood\s{1,9}pressure | insulin | migraines? | chronic | celiac | coeliac
      | religio\w+ | christian | catholic | protestant | muslim | islam | jewish | judaism | buddhis[tm] | hindu\w* | atheist | church | mosque | synagogue | temple | pray(?:s|er|ing)?
      | politic\w* | vote[ds]? | voting | democrat | republican | gay | lesbian | bisexual | transgender | sexual\w* | ethnic\w* | nationality | immigra\w+ | visa\s{1,9}status
      | divorc\w+ | widow\w*
    )\b
    | 工作 | 职业 | 上班 | 公司 | 老板 | 同事 | 领导 | 失业 | 退休 | 程序员 | 工程师 | 老师 | 教师 | 医生 | 护士 | 律师 | 会计 | 设计师 | 学生 | 司机 | 厨师 | 经理
    | 学历 | 大学 | 学校 | 毕业 | 专业 | 硕士 | 博士 | 本科 | 学位 | 论文 | 高中
    | 过敏 | 糖尿病 | 哮喘 | 抑郁 | 焦虑症 | 癌 | 疾病 | 患有 | 确诊 | 吃药 | 服药 | 手术 | 住院 | 怀孕 | 血压 | 血糖 | 心脏病 | 失眠 | 不耐受 | 体检 | 慢性病
    | 宗教 | 信仰 | 基督 | 天主教 | 穆斯林 | 伊斯兰 | 佛教 | 信佛 | 犹太 | 无神论 | 教堂 | 清真
    | 政治 | 投票 | 党员 | 同性恋 | 双性恋 | 跨性别 | 性取向 | 民族 | 国籍 | 移民 | 离婚 | 丧偶
    """,
    re.I | re.X,
)


def classify_sensitivity(text: str) -> Sensitivity:
    """Return how sensitive a text is.

    SECRET: holds a secret; PRIVATE: how to reach a person, or their money; GENERAL: job, health,
    belief; else PUBLIC.

    A town is PUBLIC ("I live in Paris"), a street and number PRIVATE.
    """
    if redact(text)[1]:
        return Sensitivity.SECRET
    if _PRIVATE.search(text):
        return Sensitivity.PRIVATE
    return Sensitivity.GENERAL if _GENERAL.search(text) else Sensitivity.PUBLIC
