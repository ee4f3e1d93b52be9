-- What the prices of a running experiment's arms are in: a video that is sold in another currency since then keeps its own prices.
ALTER TABLE experiments ADD COLUMN currency text;
