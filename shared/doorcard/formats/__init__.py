"""Hand histories out and in: JSON lines, and the .phh standard."""
