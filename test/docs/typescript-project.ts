import ts from 'typescript';

const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: unknown };
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());

const host = ts.createCompilerHost(options);
const readFile = host.getSourceFile.bind(host);
const sources = new Map<string, ts.SourceFile | undefined>();
// Reading the library's files takes longer than most of what the tests ask about them.
host.getSourceFile = (path, ...rest) => {
  if (!sources.has(path)) sources.set(path, readFile(path, ...rest));
  return sources.get(path);
};

/**
 * A program with the project's own options. The programs of a process read each file once.
 * @param roots Paths, from the project's root.
 */
export const createProjectProgram = (roots: readonly string[]): ts.Program =>
  ts.createProgram(roots, { ...options, noUnusedLocals: false }, host);

/** What the compiler says about a file: a text for each error. */
export function errorsIn(program: ts.Program, path: string): readonly string[] {
  const file = program.getSourceFile(path);
  if (file === undefined) return [`${path} is not there`];
  const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** The symbols that a file exports. */
export function exportsOf(program: ts.Program, path: string): readonly ts.Symbol[] {
  const file = program.getSourceFile(path);
  const symbol = file && program.getTypeChecker().getSymbolAtLocation(file);
  if (symbol === undefined) throw new Error(`${path} is no module`);
  return program.getTypeChecker().getExportsOfModule(symbol);
}

/** What a symbol stands for, where it is exported from another file. */
export const withoutAlias = (program: ts.Program, symbol: ts.Symbol): ts.Symbol =>
  (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : program.getTypeChecker().getAliasedSymbol(symbol);
