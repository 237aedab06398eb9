# Creates the checkout of an order, or returns the checkout that the order has. The response's "capability" goes into the page:
# <pay-invoice endpoint="http://127.0.0.1:8080/checkout" checkout="chk_…"></pay-invoice>
curl --fail-with-body --silent --show-error "${CHECKOUT_SERVER:-http://127.0.0.1:8080}/admin/checkouts" \
  --header "Authorization: Bearer $ADMIN_TOKEN" \
  --header 'Content-Type: application/json' \
  --data '{ "order_id": "1001", "reference": "1001", "amount": "1500.00", "currency": "RUB" }'
