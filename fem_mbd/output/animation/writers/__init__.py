"""Writers of a scene: HTML page, glTF, film, and an image of the last state."""
