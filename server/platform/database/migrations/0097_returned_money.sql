-- Why money that was paid for an order was sent back by itself; the order is closed where nothing else paid it.
ALTER TABLE orders ADD returned_reason text;
