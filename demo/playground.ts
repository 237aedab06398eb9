// The playground: everything that a page can set on the tag, a live preview, and the code for it.
import '../src/pay-invoice.ts';
import type { PayInvoiceElement } from '../src/element.ts';
import { button, byId, create } from './dom.ts';
import { states, transportOf } from './gallery-states.ts';
import { loadPlayedBackend } from './load-play.ts';
import { playState } from './play-state.ts';
import { codeOf } from './playground-code.ts';
import { groups, isValid, type Field } from './playground-fields.ts';
import { currentLanguage, fillTexts, text } from './texts.ts';

const fields = groups.flatMap((group) => group.fields);
const backend = (await loadPlayedBackend()).createPlayedBackend({ bankPage: new URL('bank.html', document.baseURI) });

/** What is set and valid, from the address; the defaults are left out. */
function settingsOf(address: string): Map<string, string> {
  const given = new URLSearchParams(address.replace(/^#/, ''));
  return new Map(
    fields.flatMap((field): [string, string][] => {
      const value = given.get(field.name) ?? '';
      return value === '' || value === field.choices?.[0] || !isValid(field, value) ? [] : [[field.name, value]];
    }),
  );
}

let settings = settingsOf(location.hash);
let widget: PayInvoiceElement | undefined;
let live: string | undefined;

/** A widget anew, in the state that is chosen. */
async function rebuild(): Promise<void> {
  const state = states[settings.get('state') ?? 'live'];
  if (state === undefined)
    live ??= await backend.open({
      order_id: '1001',
      amount: '1500.00',
      amount_limits: null,
      currency: 'RUB',
      description: 'Leaf & Clay',
      success_url: null,
      fail_url: null,
    });
  const checkout = state === undefined ? (live ?? '') : 'chk_gallery';
  const transport = state === undefined ? backend.transportOf(checkout) : transportOf(state);
  widget = create('pay-invoice', { checkout, transport, method: settings.get('method') ?? '' });
  if (state !== undefined) playState(widget, state);
  dress(widget);
  byId('frame').replaceChildren(widget);
  byId('bank').hidden = state !== undefined;
}

/** Everything but the state, on a widget that is there. */
function dress(target: PayInvoiceElement): void {
  const theme = settings.get('theme') ?? 'auto';
  byId('stage').dataset['theme'] = theme;
  target.setAttribute('theme', theme);
  target.phoneUrl = settings.get('phone-url') ?? states[settings.get('state') ?? '']?.phoneUrl ?? '';
  target.pageTitle = settings.has('page-title');
  target.lang = settings.get('lang') ?? currentLanguage();
  byId('frame').style.maxWidth = settings.get('width') ?? '';
  for (const { name } of fields) if (name.startsWith('--')) target.style.setProperty(name, settings.get(name) ?? '');
  const starting = (prefix: string): [string, string][] =>
    [...settings].flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : []));
  target.messages = Object.fromEntries(starting('messages.'));
  target.replaceChildren(...starting('slot.').map(([slot, content]) => create('p', { slot }, content)));
}

function change({ name, choices }: Field, value: string): void {
  if (value === '' || value === choices?.[0]) settings.delete(name);
  else settings.set(name, value);
  history.replaceState(null, '', `#${new URLSearchParams([...settings]).toString()}`);
  byId('code').textContent = codeOf(settings);
  if (name === 'state' || name === 'method') void rebuild();
  else if (widget !== undefined) dress(widget);
}

function control(field: Field): HTMLElement {
  const { name, label, kind, choices = [], placeholder = '' } = field;
  const id = `field ${name}`.replaceAll(' ', '-');
  const value = settings.get(name) ?? choices[0] ?? '';
  const row = create('div', { className: 'field' }, create('label', { htmlFor: id }, label));
  if (kind === 'choice') {
    const options = choices.map((choice) =>
      create('option', { value: choice, selected: choice === value }, titleOf(name, choice)),
    );
    const select = create('select', { id }, ...options);
    select.addEventListener('change', () => change(field, select.value));
    row.append(select);
    return row;
  }
  const input = create('input', { id, value, placeholder: placeholder || text('default'), spellcheck: false });
  const take = (): void => {
    const valid = isValid(field, input.value.trim());
    input.setAttribute('aria-invalid', String(!valid));
    if (valid) change(field, input.value.trim());
  };
  input.addEventListener('input', take);
  row.append(input);
  if (kind === 'colour') {
    const picker = create('input', { type: 'color', value: /^#[\da-f]{6}$/i.test(value) ? value : '#888888' });
    picker.setAttribute('aria-label', text('pick', { what: label }));
    picker.addEventListener('input', () => {
      input.value = picker.value;
      take();
    });
    row.append(picker);
  }
  return row;
}

function titleOf(name: string, choice: string): string {
  if (name !== 'state') return choice === '' ? text('default') : choice;
  return states[choice]?.title ?? text('live');
}

function draw(): void {
  fillTexts();
  document.title = `pay-invoice: ${text('playground')}`;
  byId('language').textContent = text('otherLanguage');
  byId('controls').replaceChildren(
    ...groups.map((group) =>
      create('fieldset', {}, create('legend', {}, text(group.title)), ...group.fields.map((field) => control(field))),
    ),
  );
  byId('code').textContent = codeOf(settings);
  byId('bank').replaceChildren(
    ...(['pay', 'fail', 'expire'] as const).map((label) => button(text(label), '', () => void happen(label))),
    button(text('anew'), 'quiet', () => {
      live = undefined;
      void rebuild();
    }),
  );
}

async function happen(what: 'pay' | 'fail' | 'expire'): Promise<void> {
  const state = widget?.state;
  const id = state !== undefined && 'checkout' in state ? state.checkout.invoice?.id : undefined;
  if (id !== undefined) await backend.control('POST', `invoices/${id}/${what}`);
}

byId('controls').addEventListener('submit', (event) => event.preventDefault());
byId('language').addEventListener('click', () => {
  localStorage.setItem('language', currentLanguage() === 'ru' ? 'en' : 'ru');
  draw();
  if (widget !== undefined) dress(widget);
});
byId('reset').addEventListener('click', () => {
  location.hash = '';
});
byId('copy').addEventListener('click', () => {
  const copied = navigator.clipboard.writeText(codeOf(settings));
  copied.then(
    () => (byId('copy-state').textContent = text('copied')),
    () => getSelection()?.selectAllChildren(byId('code')),
  );
});
addEventListener('hashchange', () => {
  settings = settingsOf(location.hash);
  draw();
  void rebuild();
});

draw();
await rebuild();
