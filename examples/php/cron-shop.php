<?php
// A shop without a public address: cron runs it each minute, and it fetches what was paid. ../README.md says how to use it.
//   php cron-shop.php order 1001 1500.00     makes an order, and prints the address to pay at: send it to the buyer
//   php cron-shop.php                        fetches the outcomes since the last run, and changes the orders
require __DIR__ . '/outcomes.php';

set_error_handler(fn ($level, $message) => throw new ErrorException($message)); // nothing is half done: the next run repeats it
$db = new PDO('sqlite:' . (getenv('SHOP_DATABASE') ?: 'shop.sqlite'));
$db->exec('PRAGMA busy_timeout = 10000');
$db->exec('CREATE TABLE IF NOT EXISTS orders (id PRIMARY KEY, amount, status, checkout);
    CREATE TABLE IF NOT EXISTS outcomes (id PRIMARY KEY, order_id, kind, mode, amount, invoice, needs_person DEFAULT 0);
    CREATE TABLE IF NOT EXISTS feed (id PRIMARY KEY, cursor)');

/** Calls the admin API of the checkout server. */
function call(string $method, string $path, ?array $body = null): array
{
    $headers = "content-type: application/json\r\nauthorization: Bearer " . getenv('ADMIN_TOKEN');
    $http = ['method' => $method, 'header' => $headers, 'content' => json_encode($body), 'timeout' => 15];
    $server = getenv('CHECKOUT_SERVER') ?: 'http://127.0.0.1:8080';
    $context = stream_context_create(['http' => $http + ['ignore_errors' => true]]); // also the text of a refusal
    $answer = json_decode(file_get_contents($server . $path, false, $context), true, 32, JSON_THROW_ON_ERROR);
    if (!in_array($answer['code'] ?? null, [null, 'cursor_unknown'])) throw new RuntimeException($answer['code']);
    return $answer;
}

if (($argv[1] ?? '') === 'order') {
    [, , $id, $amount] = $argv;
    $db->prepare("INSERT OR IGNORE INTO orders VALUES (?, ?, 'new', NULL)")->execute([$id, $amount]);
    $order = ['order_id' => $id, 'reference' => $id, 'amount' => $amount, 'currency' => 'RUB'];
    exit(call('POST', '/admin/checkouts', $order)['url'] . "\n");
}
while (true) {
    $cursor = $db->query('SELECT cursor FROM feed')->fetchColumn() ?: '';
    $page = call('GET', '/admin/outcomes?limit=100' . ($cursor === '' ? '' : '&after=' . urlencode($cursor)));
    if (isset($page['code'])) { // the server has another database, or a backup: read from the first outcome
        $db->exec('DELETE FROM feed');
        continue;
    }
    if ($page['outcomes'] === []) break;
    foreach ($page['outcomes'] as $outcome) {
        apply_outcome($db, $outcome); // once, however often it is read
        // Only now: a run that is killed in between reads this outcome again.
        $db->prepare('INSERT OR REPLACE INTO feed VALUES (1, ?)')->execute([$outcome['cursor']]);
    }
}
