<?php
// Receives outcomes of the checkout server: checks their signatures (standardwebhooks.com), and changes the orders.

/** Whether the request was signed with the secret in the last five minutes. $now is in seconds, header names are in lower case. */
function is_signed(#[SensitiveParameter] string $secret, array $headers, string $body, int $now): bool
{
    $key = base64_decode(substr($secret, 6), true);
    if (!str_starts_with($secret, 'whsec_') || $key === false || strlen($key) < 24) {
        throw new RuntimeException('OUTCOME_SECRET must be whsec_ and at least 24 bytes in base64');
    }
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !preg_match('/^\d{1,12}$/D', $timestamp) || abs($now - (int) $timestamp) > 300) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    $isSigned = false; // there are several signatures while a secret is being replaced
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        $isSigned = hash_equals($expected, $signature) || $isSigned;
    }
    return $isSigned;
}

/** Stores an outcome and changes its order in one transaction. An outcome may come twice; the second time changes nothing. */
function apply_outcome(PDO $db, array $outcome): void
{
    ['id' => $id, 'order_id' => $orderId, 'kind' => $kind] = $outcome;
    $db->beginTransaction();
    $insert = $db->prepare('INSERT OR IGNORE INTO outcomes (id, order_id, kind, mode, amount, invoice) VALUES (?, ?, ?, ?, ?, ?)');
    $insert->execute([$id, $orderId, $kind, $outcome['mode'], $outcome['amount'], $outcome['external_id']]);
    if ($insert->rowCount() === 1) {
        $update = $db->prepare("UPDATE orders SET status = 'paid' WHERE id = ? AND status = 'new' AND ? = 'paid'");
        $update->execute([$orderId, $kind]); // deliver the goods here, or let another program look for orders that are paid
        // After failed and expired the buyer may pay again; resolved is only the record of a person's decision.
        if ($update->rowCount() === 0 && !in_array($kind, ['failed', 'expired', 'resolved'], true)) {
            $db->prepare('UPDATE outcomes SET needs_person = 1 WHERE id = ?')->execute([$id]);
        }
    }
    $db->commit();
}
