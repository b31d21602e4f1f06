"""A set of another kind than two people's chats: what one person lets an assistant remember, over a year and more."""
