"""What the notebook says: some twenty sentences in each language. It promises nothing that it does not do."""

from __future__ import annotations

from typing import Final

from bot.texts import Texts

say: Final = Texts(
    {
        # who it is; once
        "intro": (
            "I'm Ebb's notebook. I have no language model, so I can't chat about the world or write for you. What I "
            "can do: I keep what you tell me about yourself in your own words, and find it again when you ask.",
            "我是 Ebb 的记事本。我没有语言模型，不能跟你聊天下事，也不能替你写东西。我能做的是：把你讲的自己的事"
            "用你的原话记下来，等你问起时再找给你。",
        ),
        "who": (
            "I'm Ebb's notebook: no person and no language model. I keep what you tell me in your own words, and "
            "look it up when you ask.",
            "我是 Ebb 的记事本，不是人，也没有语言模型。你讲的事我用原话记着，你问起我就去找。",
        ),
        "self": (
            "I'm only a notebook, so there is nothing of my own to tell. You can say anything here, though.",
            "我只是个记事本，自己没什么可说的。不过你什么都可以讲。",
        ),
        # hello and goodbye
        "greet": ("Hello.", "你好。"),
        "greet.name": ("Hello, {name}.", "{name}，你好。"),
        "name": ("Good to meet you, {name}.", "{name}，认识你很高兴。"),
        "thanks": ("You're welcome.", "不客气。"),
        "bye": ("Goodbye. It will all still be here.", "再见。你讲的都还在这儿。"),
        # what is told
        "kept.first": ("I've written that down.", "我写下来了。"),
        "kept.1": ("Noted.", "好，记了。"),
        "kept.2": ("It's on the page.", "写在本子上了。"),
        "kept.3": ("All right.", "知道了。"),
        "kept.fix": ("Thanks, I've put it right.", "谢谢，我改过来了。"),
        "order.remembered": ("I'll keep it: {text}", "我会记着：{text}"),
        "order.already": ("I have that already: {text}", "这个我已经有了：{text}"),
        "order.refused": ("I can't keep that one: {why}", "这个我不能记：{why}"),
        "date": ("By “{said}” I understand {date}.", "你说的“{said}”，我理解为{date}。"),
        "left": (
            "I left out “{text}”. Say “remember that” if it's meant.",
            "“{text}”我没记。当真的话，说一声“记住这个”。",
        ),
        "death": ("I'm very sorry.", "请节哀，我很难过。"),
        "bad": ("I'm sorry to hear that.", "听到这个我很难过。"),
        "good": ("That's good news. I'm glad.", "真是好消息，替你高兴。"),
        # what is asked
        "quote": ("On {date} you told me: {quote}", "你在{date}说过：{quote}"),
        "unsure": ("I'm not sure, but on {date} you said: {quote}", "我不敢肯定，不过你在{date}说过：{quote}"),
        "more": ("And on {date}: {quote}", "还有{date}：{quote}"),
        "replaced": (" (you have changed this since)", "（这个后来你改过）"),
        "overview": ("This is what stands on my pages:", "我本子上记着这些："),
        "line": ("{date}: {quote}", "{date}：{quote}"),
        "nothing": ("I can't find that in what I have.", "我记着的里面没找到这个。"),
        "model": ("That needs a language model, and I don't have one.", "这个要有语言模型才行，我没有。"),
        "beyond": ("For anything else I'd need a language model.", "别的问题得有语言模型。"),
        "model.again": ("I can't do that without a model.", "没有模型，这个我做不了。"),
        "temp": ("Off the record I look nothing up and write nothing down.", "临时模式里我不翻本子，也不记。"),
        "group": ("Ask me in private; here I don't look that up.", "这个请私下问我，在这里我不翻。"),
        "plain": ("I'm here.", "我在。"),
    }
)
