// What a page remembers until its tab is closed, so that a payment outlives a reload.

const prefix = 'pay-invoice play ';

/** Keeps a value under a name; a full or forbidden storage only means that a reload begins anew. */
export function keep(kind: string, name: string, value: unknown): void {
  try {
    sessionStorage.setItem(`${prefix}${kind} ${name}`, JSON.stringify(value));
  } catch {
    // nothing else depends on it
  }
}

/** Everything that was kept of a kind, in the order of its names. */
export function kept(kind: string): readonly unknown[] {
  try {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(`${prefix}${kind} `));
    return names.sort().map((name): unknown => JSON.parse(sessionStorage.getItem(name) ?? 'null'));
  } catch {
    return [];
  }
}
