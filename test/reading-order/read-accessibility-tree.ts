import type { CDPSession } from 'playwright-core';
import { z } from 'zod';

const axValue = z.object({ value: z.union([z.string(), z.number(), z.boolean()]).optional().catch(undefined) });

/** The part of `Accessibility.getFullAXTree` of the Chrome DevTools Protocol that is read here. */
const axTree = z.object({
  nodes: z.array(
    z.object({
      nodeId: z.string(),
      ignored: z.boolean(),
      role: axValue.optional(),
      name: axValue.optional(),
      description: axValue.optional(),
      value: axValue.optional(),
      properties: z.array(z.object({ name: z.string(), value: axValue })).default([]),
      childIds: z.array(z.string()).default([]),
    }),
  ),
});
type AxNode = z.infer<typeof axTree>['nodes'][number];

/** Roles that a screen reader does not announce: it reads their content only. */
const unannouncedRoles = new Set([
  'RootWebArea',
  'generic',
  'none',
  'InlineTextBox',
  'LineBreak',
  'LabelText',
  'Legend',
]);
/** Roles whose name and value contain all of their content. */
const rolesWithOwnContent = new Set(
  'button link radio textbox image heading term DisclosureTriangle DisclosureTriangleGrouped'.split(' '),
);
/** The usual names of roles that have an unusual name in the protocol. */
const usualNames: Readonly<Record<string, string>> = {
  DescriptionList: 'list',
  DisclosureTriangle: 'summary',
  DisclosureTriangleGrouped: 'summary',
};
/** Marks of direction, which are not announced. */
const directionMarks = /[\u2066-\u2069\u200e\u200f]/g;
/** The states that are announced. Other states, such as `focusable`, follow from the role. */
const announcedStates = new Set(['checked', 'disabled', 'expanded', 'invalid', 'required', 'busy', 'level']);

const textOf = (value: AxNode['name']): string =>
  value?.value === undefined ? '' : String(value.value).replace(directionMarks, '').replace(/\s+/g, ' ').trim();

function statesOf({ properties }: AxNode): string {
  return properties
    .filter(({ name, value }) => announcedStates.has(name) && value.value !== false && value.value !== 'false')
    .map(({ name, value }) =>
      value.value === true || value.value === 'true' ? name : `${name} ${String(value.value)}`,
    )
    .concat(properties.some(({ name, value }) => name === 'expanded' && value.value === false) ? ['collapsed'] : [])
    .join(', ');
}

/**
 * Returns what a screen reader reads, in its order. Each node has a line with its role, name, states, value and description,
 * indented below the node that contains it. Adjoining texts share one line.
 */
export async function readAccessibilityTree(session: CDPSession): Promise<readonly string[]> {
  const { nodes } = axTree.parse(await session.send('Accessibility.getFullAXTree'));
  const nodesById = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines: string[] = [];
  let text = '';

  function flushText(depth: number): void {
    if (text.trim() !== '')
      lines.push(`${'  '.repeat(depth)}${text.replace(directionMarks, '').replace(/\s+/g, ' ').trim()}`);
    text = '';
  }

  function visit(node: AxNode, depth: number): void {
    const role = textOf(node.role);
    if (role === 'StaticText') {
      text += String(node.name?.value ?? '');
      return;
    }
    const children = node.childIds.flatMap((id) => nodesById.get(id) ?? []);
    if (!node.ignored) flushText(depth); // An inline element without a role is ignored, a block is not.
    if (node.ignored || unannouncedRoles.has(role)) {
      for (const child of children) visit(child, depth);
      if (!node.ignored) flushText(depth);
      return;
    }
    const name = textOf(node.name);
    const value = textOf(node.value);
    const description = textOf(node.description);
    const parts = [usualNames[role] ?? role, name && `"${name}"`, value && `= ${value}`, statesOf(node)].filter(
      Boolean,
    );
    lines.push(`${'  '.repeat(depth)}${parts.join(' ')}${description && ` (${description})`}`);
    if (rolesWithOwnContent.has(role)) return;
    for (const child of children) visit(child, depth + 1);
    flushText(depth + 1);
  }

  const [root] = nodes;
  if (root !== undefined) visit(root, 0);
  flushText(0);
  return lines;
}
