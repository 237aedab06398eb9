"""Receives outcomes of the checkout server: checks their signatures (standardwebhooks.com), and changes the orders."""

import base64
import hmac
import re


def is_signed(secret, headers, body, now):
    """Whether the request was signed with the secret in the last five minutes. `body` is bytes, `now` is in seconds."""
    key = base64.b64decode(secret[6:], validate=True)
    if not secret.startswith("whsec_") or len(key) < 24:
        raise ValueError("OUTCOME_SECRET must be whsec_ and at least 24 bytes in base64")
    message_id, timestamp, signatures = (headers.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
    if not message_id or not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > 300:
        return False
    digest = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    # There are several signatures while a secret is being replaced.
    return any([hmac.compare_digest(expected, signature.encode()) for signature in signatures.split(" ")])


def apply_outcome(db, outcome):
    """Stores an outcome and changes its order in one transaction. An outcome may come twice; the second time changes nothing."""
    names = ["id", "order_id", "kind", "mode", "amount", "external_id"]
    outcome_id, order_id, kind, *_ = values = [outcome[name] for name in names]
    with db:  # commits at the end, and undoes everything after an exception
        insert = "INSERT OR IGNORE INTO outcomes (id, order_id, kind, mode, amount, invoice) VALUES (?, ?, ?, ?, ?, ?)"
        if db.execute(insert, values).rowcount == 0:
            return
        # Deliver the goods here, or let another program look for orders that are paid.
        update = "UPDATE orders SET status = 'paid' WHERE id = ? AND status = 'new' AND ? = 'paid'"
        is_paid = db.execute(update, [order_id, kind]).rowcount == 1
        # After failed and expired the buyer may pay again; resolved is only the record of a person's decision.
        if not is_paid and kind not in ("failed", "expired", "resolved"):
            db.execute("UPDATE outcomes SET needs_person = 1 WHERE id = ?", [outcome_id])
