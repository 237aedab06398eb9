/**
 * Features that the files use although one of the oldest engines lacks them, with what that engine does instead. The check
 * fails for an entry whose feature is no longer used.
 */
export const accepted: Readonly<Record<string, string>> = {
  'api.Navigator.canShare': 'its presence is checked first: without it the QR code is downloaded',
  'api.Navigator.share': 'called only where `canShare` accepts the file',
  'api.TrustedTypePolicyFactory.emptyScript': 'Lit checks first whether there are trusted types',
  'api.TrustedTypePolicyFactory.createPolicy': 'as above',
  'api.TrustedTypePolicy.createHTML': 'as above',
  'html.elements.details.name': 'the waiting screen closes the other kinds of requisites itself',
  'css.types.color.light-dark': 'other colours in `@supports not`; elsewhere the text or button has its usual colour',
  'css.types.color.color-mix': 'a plain tint, or a border without a background',
  'css.selectors.has': 'the radio button itself shows what is chosen, focused and disabled',
  'css.properties.text-wrap': 'lines are filled one after the other',
  'css.properties.text-wrap.balance': 'as above',
  'css.properties.text-wrap.pretty': 'as above',
  'css.properties.cursor.pointer': 'a phone has no pointer',
  'css.properties.cursor.default': 'as above',
  'css.properties.forced-color-adjust': 'Safari has no forced colours',
  'css.properties.forced-color-adjust.none': 'as above',
  'css.properties.user-select': 'a click selects a part of a value; its button copies the whole',
  'css.selectors.-webkit-progress-bar': 'each engine has a selector of its own',
  'css.selectors.-webkit-progress-value': 'as above',
  'css.selectors.-moz-progress-bar': 'as above',
  'css.at-rules.media.scripting':
    'without JavaScript the buttons that need it stay visible, under the text of `noscript`',
};

/**
 * Names of members of the files' own objects. Newer objects of engines, which the files do not use, have members with these
 * names too.
 */
export const ownMembers: readonly string[] = [
  'adopt',
  'capture',
  'connection',
  'element',
  'endpoint',
  'fetch',
  'format',
  'image',
  'isValid',
  'isVisible',
  'last',
  'limits',
  'lost',
  'metadata',
  'methodName',
  'mul',
  'node',
  'phone',
  'properties',
  'queue',
  'region',
  'retry',
  'scan',
  'session',
  'subscribe',
  'transfer',
];
