def answer(data): return "Hm."
def at_a_loss(data): return "Hm."
