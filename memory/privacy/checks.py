"""Check digits: what tells a real card, bank account or identity number from any other long number.

Only numbers that stand without a label are asked for theirs. python-stdnum is loaded with the first
of them.
"""

from __future__ import annotations


def is_card_number(digits: str) -> bool:
    """A card number: the length and the beginning of a network's (Visa, UnionPay, …) and a right check digit."""
    from stdnum import luhn

    n, four, two = len(digits), int(digits[:4]), int(digits[:2])
    return luhn.is_valid(digits) and (
        (digits[0] == "4" and n in {13, 16, 19})
        or (n == 16 and (51 <= two <= 55 or 2221 <= four <= 2720 or 3528 <= four <= 3589))
        or (n == 15 and two in {34, 37})
        or (16 <= n <= 19 and two in {62, 60, 64, 65, 81})
        or (n == 14 and (two in {36, 38, 39} or 300 <= int(digits[:3]) <= 305))
    )


def is_iban(text: str) -> bool:
    """An international bank account number, of any country: ISO 13616's remainder, not each bank's own rules."""
    from stdnum import iban as number

    return bool(number.is_valid(text, check_country=False))


def is_chinese_id(text: str) -> bool:
    """A Chinese identity number: 17 digits with a birth date among them, and the check character."""
    from stdnum.cn import ric
    from stdnum.exceptions import ValidationError

    try:
        ric.get_birth_date(text)
    except ValidationError:
        return False
    return bool(ric.calc_check_digit(text) == text[-1].upper())


def is_ssn(text: str) -> bool:
    """A United States social security number that can have been given to somebody."""
    from stdnum.us import ssn as number

    return bool(number.is_valid(text))


def is_bitcoin_address(text: str) -> bool:
    """A Bitcoin address, which is no secret."""
    from stdnum import bitcoin as number

    return bool(number.is_valid(text))
