"""English: as `moments.js` writes them."""
