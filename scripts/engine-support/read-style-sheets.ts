import { readdirSync } from 'node:fs';
import { CSSResult } from 'lit';

const folder = new URL('../../src/view/styles/', import.meta.url);

/** The style sheets of the element and its dialog by the names of their files. */
export async function styleSheets(): Promise<readonly (readonly [name: string, text: string])[]> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.styles.ts'));
  const modules = await Promise.all(
    names.map(async (name): Promise<[string, unknown[]]> => {
      const module = (await import(new URL(name, folder).href)) as object;
      return [name, Object.values(module)];
    }),
  );
  return modules.flatMap(([name, exported]) =>
    exported.filter((value) => value instanceof CSSResult).map((sheet) => [name, sheet.cssText] as const),
  );
}
