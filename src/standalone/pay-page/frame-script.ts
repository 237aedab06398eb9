/**
 * The script of a pay page that shops may frame. Inside a frame it tells the page around it, at those origins alone, how high the page is and
 * what has become of the payment: `{ source: 'pay-invoice', type: 'ready' | 'height' | 'paid' | 'failed' | 'expired', height? }`. The
 * height, in CSS pixels, is that of the content, so that the frame also gets lower again.
 */
export const frameScript = (origins: readonly string[]): string =>
  `
const parents=location.ancestorOrigins??[];
const targets=${JSON.stringify(origins)}.filter(origin=>!parents.length||origin===parents[0]);
const tell=message=>targets.forEach(origin=>parent.postMessage({source:'pay-invoice',...message},origin));
if(parent!==window){
for(const type of ['ready','paid','failed','expired'])addEventListener('pay-invoice-'+type,()=>tell({type}));
document.querySelector('main').style.minHeight=0;
new ResizeObserver(()=>tell({type:'height',height:document.body.offsetHeight})).observe(document.body);
}`.replaceAll('\n', '');
