// A lint rule that reports what the compiler reports. Rules with types have made the compiler's program already, so the types are
// checked without a second one. `npm run typecheck` finds the same.
import ts from 'typescript';

/** What belongs to no file, such as a wrong option, is reported with the first file of a program. */
const seenPrograms = new WeakSet();

const rule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
    return {
      'Program:exit'(node) {
        const file = esTreeNodeToTSNodeMap.get(node);
        const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
        if (!seenPrograms.has(program))
          diagnostics.push(...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics());
        seenPrograms.add(program);
        for (const { start = 0, code, messageText } of diagnostics)
          context.report({
            loc: context.sourceCode.getLocFromIndex(Math.min(start, context.sourceCode.text.length)),
            message: `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
          });
      },
    };
  },
};

export default { rules: { types: rule } };
