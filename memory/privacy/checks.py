"""Check digits: what tells a real card, bank account or identity number from any other long number."""

from __future__ import annotations

_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECK = "10X98765432"


def luhn(digits: str) -> bool:
    """Whether the last digit is the Luhn check digit of the others."""
    total = 0
    for i, c in enumerate(reversed(digits)):
        d = int(c) * (1 + i % 2)
        total += d - 9 if d > 9 else d
    return total % 10 == 0


def card_issuer(digits: str) -> bool:
    """Whether prefix and length are those of a card network (Visa, Mastercard, Amex, UnionPay, …)."""
    n, four, two = len(digits), int(digits[:4]), int(digits[:2])
    return (
        (digits[0] == "4" and n in {13, 16, 19})
        or (n == 16 and (51 <= two <= 55 or 2221 <= four <= 2720))
        or (n == 15 and two in {34, 37})
        or (16 <= n <= 19 and two in {62, 60, 64, 65, 81})
        or (n == 16 and 3528 <= four <= 3589)
        or (n == 14 and (two in {36, 38, 39} or 300 <= int(digits[:3]) <= 305))
    )


def card(digits: str) -> bool:
    """A card number: known network and a right check digit."""
    return 13 <= len(digits) <= 19 and card_issuer(digits) and luhn(digits)


def iban(text: str) -> bool:
    """ISO 13616: country, check digits, 11 to 30 letters and digits, remainder 1 modulo 97."""
    t = text.replace(" ", "").upper()
    if not (15 <= len(t) <= 34 and t.isalnum() and t.isascii()):
        return False
    return int("".join(str(int(c, 36)) for c in t[4:] + t[:4])) % 97 == 1


def chinese_id(text: str) -> bool:
    """GB 11643: 17 digits with a birth date in them, and the check character."""
    t = text.upper()
    if len(t) != 18 or not t[:17].isdigit() or not t.isascii():
        return False
    year, month, day = int(t[6:10]), int(t[10:12]), int(t[12:14])
    if not (1850 <= year <= 2100 and 1 <= month <= 12 and 1 <= day <= 31):
        return False
    return _ID_CHECK[sum(int(c) * w for c, w in zip(t[:17], _ID_WEIGHTS, strict=True)) % 11] == t[17]
