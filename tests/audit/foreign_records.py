"""Writes recorded hands from a short script, without the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Record = dict[str, object]
Paid = tuple[int, int, str, str]
"""(seat, chips, pot, part)."""
SEVEN = ("ddu", "u", "u", "u", "d")
FIVE = ("du", "u", "u", "u")
VERBS = {"bring", "complete", "bet", "raise", "call"}


def recorded(
    game: str,
    stacks: Mapping[int, int],
    cards: Mapping[int, str],
    streets: Sequence[str],
    paid: Sequence[Paid],
    *,
    stakes: tuple[int, int | None, int, int] = (1, 2, 5, 10),
    rake: int = 0,
    structure: str = "fixed_limit",
    community: str = "",
) -> Record:
    """One hand as a record.

    Args:
        cards: the cards of each seat in the order dealt; those it did not get do not matter.
        streets: what was done on each street, as in ``"3 bring 2, 1 complete 5, 2 fold"``:
            totals on the street, and nothing behind a check, fold, muck or show.
        stakes: ante, bring-in, small bet, big bet.
        community: a card that is turned in place of the last street's own cards.
    """
    writer = _Writer(game, stacks, cards, stakes[0], community)
    for street, text in enumerate(streets):
        writer.street(street, text)
    final = dict(writer.left)
    for seat, chips, _, _ in paid:
        final[seat] += chips
    return {
        "id": "typed",
        "game": game,
        "structure": structure,
        "tournament": False,
        "ante": stakes[0],
        "bring_in": stakes[1],
        "small_bet": stakes[2],
        "big_bet": stakes[3],
        "seats": [{"seat": seat, "stack": stack} for seat, stack in stacks.items()],
        "actions": writer.actions,
        "expect": {
            "pot": sum(stacks.values()) - sum(writer.left.values()),
            "rake": rake,
            "collected": [
                {"seat": seat, "amount": chips, "pot": pot, "part": part}
                for seat, chips, pot, part in paid
            ],
            "final_stacks": {str(seat): stack for seat, stack in final.items()},
        },
        "cards": {str(seat): text.split()[: writer.held[seat]] for seat, text in cards.items()},
        "tags": [],
    }


class _Writer:
    def __init__(
        self,
        game: str,
        stacks: Mapping[int, int],
        cards: Mapping[int, str],
        ante: int,
        community: str,
    ) -> None:
        self.actions: list[Record] = []
        self.left = dict(stacks)
        self._deals = FIVE if game == "five_card_stud" else SEVEN
        self._cards = {seat: text.split() for seat, text in cards.items()}
        self.held = dict.fromkeys(stacks, 0)
        self._live = list(stacks)
        self._community = community
        for seat in stacks:
            self._pay("ante", seat, min(ante, stacks[seat]), None)

    def street(self, street: int, text: str) -> None:
        last = street == len(self._deals) - 1
        if last and self._community:
            self.actions.append({"a": "community", "card": self._community})
        else:
            self._deal(self._deals[street])
        totals = dict.fromkeys(self._live, 0)
        for part in filter(None, (part.strip() for part in text.split(","))):
            seat, verb, *amount = part.split()
            self._act(int(seat), verb, int(amount[0]) if amount else 0, totals)

    def _deal(self, letters: str) -> None:
        for seat in self._live:
            held = self.held[seat]
            new = self._cards[seat][held : held + len(letters)]
            self.held[seat] += len(letters)
            sides: dict[str, list[str]] = {"d": [], "u": []}
            for letter, card in zip(letters, new, strict=True):
                sides[letter].append(card)
            deal: Record = {"a": "deal", "street": self.held[seat], "seat": seat}
            self.actions.append({**deal, "down": sides["d"], "up": sides["u"]})

    def _act(self, seat: int, verb: str, total: int, totals: dict[int, int]) -> None:
        if verb == "uncalled":
            self.left[seat] += total
            self.actions.append({"a": "uncalled", "seat": seat, "amount": total})
        elif verb == "muck":
            self.actions.append({"a": "muck", "seat": seat})
        elif verb == "show":
            cards = self._cards[seat][: self.held[seat]]
            self.actions.append({"a": "show", "seat": seat, "cards": cards})
        else:
            amount = total - totals[seat] if verb in VERBS else 0
            totals[seat] += amount
            if verb == "fold":
                self._live.remove(seat)
            self._pay("bring_in" if verb == "bring" else verb, seat, amount, totals[seat])

    def _pay(self, name: str, seat: int, amount: int, total: int | None) -> None:
        self.left[seat] -= amount
        action: Record = {"a": name, "seat": seat, "amount": amount}
        if total is not None:
            action["to"] = total
        self.actions.append({**action, "all_in": amount > 0 and not self.left[seat]})
