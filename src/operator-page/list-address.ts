// What the list shows is in the address: `#?search=…&status=…`.

const filterNames = ['search', 'status', 'needs_decision', 'undelivered', 'kind', 'from', 'until'] as const;
/** Whether a text has the secret of a payment link in it, which belongs into no address, neither of the page nor of the API. */
export const hasSecret = (text: string): boolean => /chk_[\w-]{22}/.test(text);

export const isList = (hash: string): boolean => hash === '' || hash === '#' || hash.startsWith('#?');

export function filtersOf(hash: string): Readonly<Record<string, string>> {
  const query = new URLSearchParams(isList(hash) ? hash.slice(2) : '');
  return Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? '']));
}

export const isFiltered = (hash: string): boolean => Object.values(filtersOf(hash)).some((value) => value !== '');

export function hashOf(filters: Readonly<Record<string, string>>): string {
  const given = filterNames.map((name) => [name, filters[name]?.trim() ?? '']).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `#?${new URLSearchParams(given).toString()}`;
}

/** The query of the admin API. A date that a person has put into the address may be none. */
export function toQuery({
  from = '',
  until = '',
  ...filters
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const toTime = (date: string, time: string): string => {
    const at = new Date(`${date}T${time}`);
    return date === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString();
  };
  return { ...filters, created_after: toTime(from, '00:00'), created_before: toTime(until, '24:00') };
}
