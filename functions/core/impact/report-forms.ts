/** The impact as text and as JSON. */
export { ImpactDocument, impactDocument, type PoolAheadJson } from './report/json.ts';
export { impactText } from './report/text.ts';
