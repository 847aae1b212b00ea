/** The impact as text and as JSON. */
export { ImpactDocument, impactDocument } from './report/json.ts';
export { impactText } from './report/text.ts';
