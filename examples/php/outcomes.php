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
function apply_outcome(PDO $db, array $outcome, string $mode): void
{
    ['id' => $id, 'order_id' => $orderId, 'kind' => $kind, 'mode' => $outcomeMode, 'amount' => $amount] = $outcome;
    $db->beginTransaction();
    $insert = $db->prepare('INSERT OR IGNORE INTO outcomes (id, order_id, kind, mode, amount, invoice) VALUES (?, ?, ?, ?, ?, ?)');
    $insert->execute([$id, $orderId, $kind, $outcomeMode, $amount, $outcome['external_id']]);
    if ($insert->rowCount() === 1) {
        $select = $db->prepare("SELECT amount FROM orders WHERE id = ? AND status = 'new'");
        $select->execute([$orderId]);
        $expected = $select->fetchColumn(); // false: there is no such order, or it is paid
        if ($kind === 'paid' && $outcomeMode === $mode && $expected !== false && normalize_amount($amount) === normalize_amount($expected)) {
            // Deliver the goods here, or let another program look for orders that are paid.
            $db->prepare("UPDATE orders SET status = 'paid' WHERE id = ?")->execute([$orderId]);
        } elseif ($kind !== 'failed' && $kind !== 'expired') { // after these two the buyer may pay again
            $db->prepare('UPDATE outcomes SET needs_person = 1 WHERE id = ?')->execute([$id]);
        }
    }
    $db->commit();
}

/** Writes 1500.00 as 1500, because one amount can be written in several ways. */
function normalize_amount(string $amount): string
{
    return str_contains($amount, '.') ? rtrim(rtrim($amount, '0'), '.') : $amount;
}
