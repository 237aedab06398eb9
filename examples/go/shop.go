// A shop whose orders, which are files, are paid on the checkout server's own page. ../README.md says how to start it.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

type outcome struct {
	ID, Kind, Mode, Amount string
	OrderID                string `json:"order_id"`
}

// check ends a request without an answer: an outcome without a 2xx is sent again.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// createCheckout returns the address of the page on which the order is paid. An order has one checkout.
func createCheckout(id, amount string) string {
	body, _ := json.Marshal(map[string]string{"order_id": id, "reference": id, "amount": amount, "currency": "RUB"})
	request, err := http.NewRequest("POST", os.Getenv("CHECKOUT_SERVER")+"/admin/checkouts", strings.NewReader(string(body)))
	check(err)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + os.Getenv("ADMIN_TOKEN")}}
	response, err := (&http.Client{Timeout: 15 * time.Second}).Do(request)
	check(err)
	defer response.Body.Close()
	var checkout struct{ URL, Detail string }
	if check(json.NewDecoder(response.Body).Decode(&checkout)); checkout.URL == "" {
		panic("the checkout server answered " + response.Status + ": " + checkout.Detail)
	}
	return checkout.URL
}

// isSigned tells whether the request was signed with the secret in the last five minutes. now is in seconds.
func isSigned(secret string, header http.Header, body []byte, now int64) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 || !strings.HasPrefix(secret, "whsec_") {
		panic("OUTCOME_SECRET must be whsec_ and at least 24 bytes in base64")
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 40) // digits only
	if age := now - int64(seconds); id == "" || err != nil || age < -300 || age > 300 {
		return false
	}
	mac, valid := hmac.New(sha256.New, key), false
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") { // several while a secret is replaced
		valid = hmac.Equal(expected, []byte(signature)) || valid
	}
	return valid
}

// apply renames the file of an order that is paid. An outcome may come twice; the second time changes nothing.
func apply(one outcome) {
	_, err := os.Stat(one.OrderID + ".new")
	_, errOfPaid := os.Stat(one.OrderID + ".paid")
	switch isPayment := one.Kind == "paid"; {
	case isPayment && err == nil:
		check(os.Rename(one.OrderID+".new", one.OrderID+".paid")) // deliver the goods here, or watch these files
	case isPayment && errOfPaid == nil: // it came before: a second payment has another kind
	case one.Kind == "failed" || one.Kind == "expired": // the buyer may pay again
	case one.Kind == "resolved": // only the record of a person's decision
	default:
		log.Printf("a person has to look at %+v", one)
	}
}

func serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 100_000))
	check(err)
	if r.Method == "POST" && r.URL.Path == "/orders" {
		id, amount := fmt.Sprintf("%x", time.Now().UnixNano()), "1500.00" // the price never comes from the browser
		check(os.WriteFile(id+".new", []byte(amount), 0o600))
		http.Redirect(w, r, createCheckout(id, amount), 303)
	} else if r.URL.Path == "/outcomes" && isSigned(os.Getenv("OUTCOME_SECRET"), r.Header, body, time.Now().Unix()) {
		var message struct{ Data outcome }
		check(json.Unmarshal(body, &message))
		apply(message.Data)
		w.WriteHeader(204)
	} else {
		w.WriteHeader(401)
	}
}

func main() {
	log.Fatal(http.ListenAndServe(strings.TrimPrefix(os.Getenv("SHOP_URL"), "http://"), http.HandlerFunc(serve)))
}
