-- When an order that the database had lost was made again from its payment at the gateway.
ALTER TABLE orders ADD restored_at timestamptz;
