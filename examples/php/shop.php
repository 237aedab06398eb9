<?php
// A shop with one product. ../README.md says how to start it.
require __DIR__ . '/outcomes.php';

http_response_code(500); // so that no failure is answered with 200, which would mean that the outcome was stored
ini_set('display_errors', '0'); // failures are for the log, not for buyers
$shop = getenv('SHOP_URL') ?: 'http://127.0.0.1:8000';
$server = getenv('CHECKOUT_SERVER') ?: 'http://127.0.0.1:8080';
$db = new PDO('sqlite:' . (getenv('SHOP_DATABASE') ?: 'shop.sqlite'));
$db->exec('CREATE TABLE IF NOT EXISTS orders (id PRIMARY KEY, amount, status, checkout);
    CREATE TABLE IF NOT EXISTS outcomes (id PRIMARY KEY, order_id, kind, mode, amount, invoice, needs_person DEFAULT 0)');

function send(int $status, string $html, array $headers = []): never
{
    http_response_code($status);
    array_map('header', $headers);
    exit($html === '' ? '' : "<!doctype html><html lang=en><meta charset=utf-8><title>Tea shop</title><link rel=icon href='data:,'>$html");
}

/** Creates the checkout of an order at the checkout server, or returns the checkout that the order has. */
function create_checkout(string $server, array $order): string
{
    $headers = "content-type: application/json\r\nauthorization: Bearer " . getenv('ADMIN_TOKEN');
    $http = ['method' => 'POST', 'header' => $headers, 'content' => json_encode($order), 'timeout' => 15];
    $response = file_get_contents("$server/admin/checkouts", false, stream_context_create(['http' => $http]));
    return json_decode($response ?: '{}', true)['capability'] ?? throw new RuntimeException('there is no checkout');
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$route = "{$_SERVER['REQUEST_METHOD']} $path";
if ($route === 'GET /') {
    send(200, '<h1>Tea bowl</h1><p>1500.00 RUB<form method=post action=/orders><button>Order</button></form>');
}
if ($route === 'POST /orders') {
    [$id, $amount] = [bin2hex(random_bytes(16)), '1500.00'];
    $page = "$shop/orders/$id";
    $db->prepare("INSERT INTO orders VALUES (?, ?, 'new', NULL)")->execute([$id, $amount]);
    $order = ['order_id' => $id, 'reference' => substr($id, 0, 8), 'amount' => $amount, 'currency' => 'RUB', 'success_url' => $page];
    $db->prepare('UPDATE orders SET checkout = ? WHERE id = ?')->execute([create_checkout($server, $order), $id]);
    send(303, '', ["location: $page"]);
}
if (preg_match('~^GET /orders/(\w+)$~', $route, $match)) {
    $select = $db->prepare('SELECT * FROM orders WHERE id = ?');
    $select->execute([$match[1]]);
    ['status' => $status, 'checkout' => $checkout] = $select->fetch() ?: send(404, '<h1>There is no such order</h1>');
    send(200, "<script type=module src='$server/pay-invoice.js'></script><h1>Your order</h1><p>Status: <b>$status</b></p>
        <pay-invoice endpoint='$server/checkout' checkout='$checkout'></pay-invoice>");
}
if ($route === 'POST /outcomes') {
    $body = file_get_contents('php://input'); // the bytes as they came: the signature is over them
    if (!is_signed((string) getenv('OUTCOME_SECRET'), array_change_key_case(getallheaders()), $body, time())) {
        send(401, '');
    }
    apply_outcome($db, json_decode($body, true, 32, JSON_THROW_ON_ERROR)['data']);
    send(204, '');
}
if ($route === 'GET /staff') { // the payments that a person has to look at
    $password = getenv('STAFF_PASSWORD') ?: bin2hex(random_bytes(16)); // without one nobody can log in
    if (!hash_equals("staff:$password", ($_SERVER['PHP_AUTH_USER'] ?? '') . ':' . ($_SERVER['PHP_AUTH_PW'] ?? ''))) {
        send(401, '', ['www-authenticate: Basic realm="staff"']);
    }
    $rows = $db->query('SELECT kind, mode, amount, order_id, invoice FROM outcomes WHERE needs_person', PDO::FETCH_NUM);
    $lines = array_map(fn ($row) => htmlspecialchars(implode(' ', $row)), $rows->fetchAll());
    send(200, '<h1>Payments to look at</h1><ul><li>' . implode('<li>', $lines) . '</ul>');
}
send(404, '<h1>There is no such page</h1>');
