// The playground: everything that a page can set on the tag, with a preview and the code for it.
import guide from '../docs/integrating.md?raw';
import curl from '../examples/curl/create-checkout.sh?raw';
import phpOutcomes from '../examples/php/outcomes.php?raw';
import phpShop from '../examples/php/shop.php?raw';
import pythonOutcomes from '../examples/python/outcomes.py?raw';
import pythonShop from '../examples/python/shop.py?raw';
import { defaultAccent } from '../src/base/widget-colours.ts';
import type { PayInvoiceElement } from '../src/element.ts';
import { brands, colourOf, hasBrand, withBrand } from './brands.ts';
import { button, byId, create } from './dom-helpers.ts';
import { playState } from './play-gallery-state.ts';
import { states } from './gallery-states.ts';
import {
  backendCodeOf,
  backendFiles,
  codeOf,
  defaultOrder,
  settingsWithPrefix,
  type BackendFile,
} from './playground-code.ts';
import { groups, isValid, type Field } from './playground-fields.ts';
import { connectHeader } from './page-header.ts';
import { choiceTitle, labelOf } from './playground-labels.ts';
import { currentLanguage, text } from './page-texts.ts';
import { createScriptedCheckout, type ScriptedCheckout } from './scripted-checkout.ts';

const backendTexts: Readonly<Record<BackendFile, string>> = {
  'Node.js': guide,
  'PHP: shop.php': phpShop,
  'PHP: outcomes.php': phpOutcomes,
  'Python: shop.py': pythonShop,
  'Python: outcomes.py': pythonOutcomes,
  curl,
};
const fields = groups.flatMap((group) => group.fields);

/** The valid settings in a URL's fragment that differ from the defaults. */
function settingsOf(address: string): Map<string, string> {
  const parameters = new URLSearchParams(address.replace(/^#/, ''));
  return new Map(
    fields.flatMap((field): [string, string][] => {
      const value = parameters.get(field.name) ?? '';
      return value === '' || value === field.choices?.[0] || !isValid(field, value) ? [] : [[field.name, value]];
    }),
  );
}

let settings = settingsOf(location.hash);
let widget: PayInvoiceElement | undefined;
/** The order's checkout in the state `live`. Each change of the amount or the currency is a new order. */
let liveCheckout: ScriptedCheckout | undefined;

function createLiveWidget(method: string): PayInvoiceElement {
  liveCheckout ??= createScriptedCheckout({
    amount: settings.get('amount') ?? defaultOrder.amount,
    currency: settings.get('currency') ?? defaultOrder.currency,
  });
  return create('pay-invoice', { checkout: 'chk_playground', transport: liveCheckout.transport, method });
}

/** Shows a new widget in the chosen state. */
function showNewWidget(): void {
  const state = states[settings.get('state') ?? 'live'];
  const method = settings.get('method') ?? '';
  widget = state === undefined ? createLiveWidget(method) : playState(state, { method }).widget;
  applySettings(widget);
  byId('frame').replaceChildren(widget);
  byId('bank').hidden = state !== undefined;
}

/** Applies all settings except the state to a widget. */
function applySettings(target: PayInvoiceElement): void {
  const theme = settings.get('theme') ?? 'auto';
  byId('stage').dataset['theme'] = theme;
  target.setAttribute('theme', theme);
  target.phoneUrl = settings.get('phone-url') ?? states[settings.get('state') ?? '']?.phoneUrl ?? '';
  target.pageTitle = settings.has('page-title');
  target.autoContinue = settings.has('auto-continue');
  target.returnAfter = Number(settings.get('return-after') ?? states[settings.get('state') ?? '']?.returnAfter ?? 0);
  target.lang = settings.get('lang') ?? currentLanguage();
  byId('frame').style.maxWidth = settings.get('width') ?? '';
  for (const { name } of fields) if (name.startsWith('--')) target.style.setProperty(name, settings.get(name) ?? '');
  target.messages = Object.fromEntries(settingsWithPrefix(settings, 'messages.'));
  const slots = settingsWithPrefix(settings, 'slot.');
  target.replaceChildren(...slots.map(([slot, content]) => create('p', { slot }, content)));
}

const backendChoice = selectOf('backend-file');
backendChoice.append(...Object.keys(backendFiles).map((name) => create('option', {}, name)));
backendChoice.addEventListener('change', () => showCode());

function selectOf(id: string): HTMLSelectElement {
  const select = byId(id);
  if (!(select instanceof HTMLSelectElement)) throw new Error(`#${id} is no select`);
  return select;
}

/** Shows the code of the page and of the backend for the settings. */
function showCode(): void {
  byId('code').textContent = codeOf(settings);
  byId('backend-code').textContent = backendCodeOf(backendTexts[backendChoice.value as BackendFile], settings);
  for (const id of ['code', 'backend-code']) byId(`copied-${id}`).textContent = '';
}

/** Keeps all settings in the address. */
function writeAddress(): void {
  history.replaceState(null, '', `#${new URLSearchParams([...settings]).toString()}`);
}

function changeSetting({ name, choices }: Field, value: string): void {
  if (value === '' || value === choices?.[0]) settings.delete(name);
  else settings.set(name, value);
  writeAddress();
  showCode();
  renderBrands();
  if (name === 'amount' || name === 'currency') liveCheckout = undefined;
  if (['state', 'method', 'amount', 'currency'].includes(name)) showNewWidget();
  else if (widget !== undefined) applySettings(widget);
}

function renderControl(field: Field): HTMLElement {
  const { name, code, kind, choices = [], placeholder = '' } = field;
  const id = `field-${name}`;
  const value = settings.get(name) ?? choices[0] ?? '';
  const row = create(
    'div',
    { className: 'field' },
    create('label', { htmlFor: id }, labelOf(field)),
    create('code', { id: `${id}-code` }, code),
  );
  if (kind === 'choice') {
    const options = choices.map((choice) =>
      create('option', { value: choice, selected: choice === value }, choiceTitle(field, choice)),
    );
    const select = create('select', { id }, ...options);
    select.setAttribute('aria-describedby', `${id}-code`);
    select.addEventListener('change', () => changeSetting(field, select.value));
    row.append(select);
    return row;
  }
  const input = create('input', { id, value, placeholder: placeholder || text('default'), spellcheck: false });
  input.setAttribute('aria-describedby', `${id}-code`);
  const applyInput = (): void => {
    const valid = isValid(field, input.value.trim());
    input.setAttribute('aria-invalid', String(!valid));
    if (valid) changeSetting(field, input.value.trim());
  };
  // Each amount creates another order, so it is applied only when it is complete.
  input.addEventListener(kind === 'amount' ? 'change' : 'input', applyInput);
  row.append(input);
  if (kind === 'colour') {
    const picker = create('input', { type: 'color', value: /^#[\da-f]{6}$/i.test(value) ? value : '#888888' });
    picker.setAttribute('aria-label', text('pick', { what: labelOf(field) }));
    picker.addEventListener('input', () => {
      input.value = picker.value;
      applyInput();
    });
    row.append(picker);
  }
  return row;
}

/** A button for each brand: it sets all custom properties at once. */
function renderBrands(): void {
  byId('brands').replaceChildren(
    ...brands.map((brand) => {
      const swatch = create('i', {});
      swatch.style.background = colourOf(brand) ?? defaultAccent;
      const choice = button('', '', () => {
        settings = withBrand(settings, brand);
        writeAddress();
        render();
        if (widget !== undefined) applySettings(widget);
        byId('brands').querySelector<HTMLElement>('[aria-pressed=true]')?.focus();
      });
      choice.append(swatch, brand);
      choice.setAttribute('aria-pressed', String(hasBrand(settings, brand)));
      return choice;
    }),
  );
}

/** The groups that are unfolded. Initially they are these; any other group is unfolded too if one of its fields is set. */
const openGroups = new Set(['shown', 'theOrder', 'attributes']);

function renderGroup({ title, fields }: (typeof groups)[number]): HTMLElement {
  const isOpen = openGroups.has(title) || fields.some(({ name }) => settings.has(name));
  const element = create(
    'details',
    { open: isOpen, className: 'group' },
    create('summary', {}, text(title)),
    ...fields.map(renderControl),
  );
  element.addEventListener('toggle', () => openGroups[element.open ? 'add' : 'delete'](title));
  return element;
}

function render(): void {
  document.title = `pay-invoice: ${text('playground')}`;
  byId('controls').replaceChildren(...groups.map(renderGroup));
  renderBrands();
  showCode();
  byId('bank').replaceChildren(
    button(text('pay'), '', () => liveCheckout?.settle('paid')),
    button(text('fail'), '', () => liveCheckout?.settle('failed')),
    button(text('expire'), '', () => liveCheckout?.settle('expired')),
    button(text('anew'), '', () => {
      liveCheckout = undefined;
      showNewWidget();
    }),
  );
}

byId('controls').addEventListener('submit', (event) => event.preventDefault());
byId('reset').addEventListener('click', () => {
  location.hash = '';
});
for (const id of ['code', 'backend-code'])
  byId(`copy-${id}`).addEventListener('click', () => {
    const copying = navigator.clipboard.writeText(byId(id).textContent);
    copying.then(
      () => (byId(`copied-${id}`).textContent = text('copied')),
      () => getSelection()?.selectAllChildren(byId(id)),
    );
  });
addEventListener('hashchange', () => {
  settings = settingsOf(location.hash);
  liveCheckout = undefined; // The order may differ.
  render();
  showNewWidget();
});

connectHeader(() => {
  render();
  if (widget !== undefined) applySettings(widget);
});
render();
showNewWidget();
