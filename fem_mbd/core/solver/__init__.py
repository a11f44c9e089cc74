"""From one accepted state to the next: steps made, judged and accepted, without Python where that is possible."""
