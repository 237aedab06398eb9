"""A shop with one product. ../README.md says how to start it."""

import base64, hmac, html, json, os, secrets, sqlite3, time, urllib.request
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from outcomes import apply_outcome, is_signed

SHOP = os.environ.get("SHOP_URL", "http://127.0.0.1:8000")
SERVER = os.environ.get("CHECKOUT_SERVER", "http://127.0.0.1:8080")
TABLES = """CREATE TABLE IF NOT EXISTS orders (id PRIMARY KEY, amount, status, checkout);
    CREATE TABLE IF NOT EXISTS outcomes (id PRIMARY KEY, order_id, kind, mode, amount, invoice, needs_person DEFAULT 0)"""


def open_database():
    return closing(sqlite3.connect(os.environ.get("SHOP_DATABASE", "shop.sqlite")))


def create_checkout(order):
    """Creates the checkout of an order at the checkout server, or returns the checkout that the order has."""
    headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["ADMIN_TOKEN"]}
    request = urllib.request.Request(SERVER + "/admin/checkouts", json.dumps(order).encode(), headers)
    with urllib.request.urlopen(request, timeout=15) as response:
        return json.load(response)["capability"]


class Shop(BaseHTTPRequestHandler):
    timeout = 20  # seconds that a request may take to arrive

    def send(self, status, page="", header=("cache-control", "no-store")):
        body = f"<!doctype html><html lang=en><meta charset=utf-8><title>Tea shop</title><link rel=icon href='data:,'>{page}".encode() if page else b""
        self.send_response(status)
        for name, value in [header, ("content-type", "text/html"), ("content-length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/":
            return self.send(200, "<h1>Tea bowl</h1><p>1500.00 RUB<form method=post action=/orders><button>Order</button></form>")
        with open_database() as db:
            if self.path == "/staff":
                return self.show_payments_to_look_at(db)
            order_id = self.path.removeprefix("/orders/")
            order = db.execute("SELECT status, checkout FROM orders WHERE id = ?", [order_id]).fetchone()
        self.send(404) if order is None else self.send(200, f"""<script type=module src='{SERVER}/pay-invoice.js'></script><h1>Your order</h1>
            <p>Status: <b>{order[0]}</b></p><pay-invoice endpoint='{SERVER}/checkout' checkout='{order[1]}'></pay-invoice>""")

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("content-length", 0)), 100_000))
        with open_database() as db:
            if self.path == "/orders":
                return self.place_order(db)
            if self.path != "/outcomes" or not is_signed(os.environ["OUTCOME_SECRET"], self.headers, body, time.time()):
                return self.send(401)
            apply_outcome(db, json.loads(body)["data"])
        self.send(204)  # only now: without a 2xx the outcome is sent again

    def place_order(self, db):
        order_id, amount = secrets.token_hex(16), "1500.00"
        page = f"{SHOP}/orders/{order_id}"
        with db:
            db.execute("INSERT INTO orders VALUES (?, ?, 'new', NULL)", [order_id, amount])
        checkout = create_checkout({"order_id": order_id, "reference": order_id[:8], "amount": amount, "currency": "RUB", "success_url": page})
        with db:
            db.execute("UPDATE orders SET checkout = ? WHERE id = ?", [checkout, order_id])
        self.send(303, header=("location", page))

    def show_payments_to_look_at(self, db):
        login = "staff:" + (os.environ.get("STAFF_PASSWORD") or secrets.token_hex())  # without one nobody can log in
        expected = "Basic " + base64.b64encode(login.encode()).decode()
        if not hmac.compare_digest(expected.encode(), self.headers.get("authorization", "").encode()):
            return self.send(401, header=("www-authenticate", 'Basic realm="staff"'))
        rows = db.execute("SELECT kind, mode, amount, order_id, invoice FROM outcomes WHERE needs_person")
        lines = "".join(f"<li>{html.escape(' '.join(row))}" for row in rows)
        self.send(200, f"<h1>Payments to look at</h1><ul>{lines}</ul>")


with open_database() as database:
    database.executescript(TABLES)
ThreadingHTTPServer((urlsplit(SHOP).hostname, urlsplit(SHOP).port), Shop).serve_forever()
