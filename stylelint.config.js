// Styles that one of the oldest supported engines (`browserslist` in package.json) lacks are errors.
const acceptedFeatures = [
  'css-has', // without it the radio button itself shows what is chosen, focused and disabled
  'css-lch-lab', // only inside @supports; without it an accent is mixed with the colour of text
  'css-media-scripting', // without it the buttons that need a script stay visible, under the text of `noscript`
  'css-selection', // without it selected text has the browser's colours
  'viewport-unit-variants', // a declaration with the older unit stands before it
];

export default {
  customSyntax: 'postcss-lit',
  plugins: ['stylelint-no-unsupported-browser-features'],
  rules: {
    'plugin/no-unsupported-browser-features': [true, { ignore: acceptedFeatures, ignorePartialSupport: true }],
  },
};
