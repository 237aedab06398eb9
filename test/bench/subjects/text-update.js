// The floor for waiting: a text that changes once a second, and, where the page names a checkout, a poll every 2 s.
const endsAt = Date.now() + 15 * 60_000;
const text = document.querySelector('#left');

function showTimeLeft() {
  const seconds = Math.ceil((endsAt - Date.now()) / 1000);
  text.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

showTimeLeft();
setInterval(showTimeLeft, 1000);
const { checkout } = text.dataset;
if (checkout)
  setInterval(async () => {
    await (await fetch(`/checkout/${checkout}`)).json();
  }, 2000);
