// A Vite plugin of the standalone build: gives a lazy chunk what it shares with the entry without an import of the entry's URL.
import { createHash } from 'node:crypto';
import type { Plugin, Rolldown } from 'vite';

const importOf = (entry: string): RegExp =>
  new RegExp(`import ?\\{([^}]*)\\} ?from ?"\\./${entry.replace('.', '\\.')}";`);
const exportAtEnd = /export ?\{([^}]*)\};?\s*(?=\/\/# sourceMappingURL|$)/;

/** `a as b, c` as pairs. */
const pairsOf = (names: string): (readonly [from: string, to: string])[] =>
  names
    .split(',')
    .filter((name) => name.trim() !== '')
    .map((name) => {
      const [from = '', to = from] = name.trim().split(/ as /);
      return [from, to];
    });

/** Replaces the chunk's import of the entry by a read of what the entry shares. The text keeps its length, so that the source map stays right. */
function readShared(chunk: Rolldown.OutputChunk, statement: string, names: string, key: string): void {
  const read = `const{${pairsOf(names)
    .map(([from, to]) => (from === to ? from : `${from}:${to}`))
    .join(',')}}=${key};`;
  if (read.length > statement.length) throw new Error(`${chunk.fileName}: too little is shared to keep the source map`);
  chunk.code = chunk.code.replace(statement, () => read.padEnd(statement.length));
}

/**
 * A page may load the entry from any URL: with a query, or through a redirect of a CDN. A chunk that imported the entry by its
 * name would then load it a second time, Lit included. Instead, the entry puts what its chunks share into a global object, whose
 * name is that of this build, unless a copy of the same build has done so. Its exports stay those of its source.
 */
export function shareEntryWithChunks(): Plugin {
  return {
    name: 'share-entry-with-chunks',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const entry = chunks.find(({ isEntry }) => isEntry);
      if (!entry) throw new Error('no entry');
      const hash = createHash('sha256').update(entry.code).digest('hex').slice(0, 8);
      // Short: it stands in the place of an import's text, whose length it must not exceed. No identifier has a space.
      const key = `self["pi ${hash}"]`;
      const shared = new Set<string>();
      for (const chunk of chunks) {
        const [statement, names = ''] = importOf(entry.fileName).exec(chunk.code) ?? [];
        if (statement !== undefined) {
          for (const [from] of pairsOf(names)) shared.add(from);
          readShared(chunk, statement, names, key);
        }
        if (/\bimport ?[{*"]|\bfrom ?"\.\//.test(chunk.code))
          throw new Error(`${chunk.fileName}: imports a file statically`);
      }
      const [statement = '', names = ''] = exportAtEnd.exec(entry.code) ?? [];
      const exported = pairsOf(names);
      const own = exported.filter(([, to]) => !shared.has(to)).map(([from, to]) => `${from} as ${to}`);
      const left = exported.filter(([, to]) => shared.has(to)).map(([from, to]) => `${to}:${from}`);
      if (left.length !== shared.size) throw new Error('the entry does not export what its chunks share');
      entry.code = entry.code.replace(statement, () => `${key}??={${left.join(',')}};export{${own.join(',')}};\n`);
    },
  };
}
