import { fingerprint } from '../text/fingerprint.ts';

/** Characters of a label's value, and of the part of its key behind the prefix. Source: Kubernetes labels. */
export const labelAtMost = 63;

/** A text as the value of a label: as it is where that is one, otherwise its beginning and a fingerprint of the
 *  whole. */
export function labelValue(text: string): string {
  return isLabelValue(text) ? text : shortened(text.replaceAll(/[^\w.-]/g, '-').replace(/^[^A-Za-z0-9]+/, ''), text);
}

function isLabelValue(text: string): boolean {
  return text.length <= labelAtMost && /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/.test(text);
}

/** The beginning of a text, `_`, and a fingerprint of the whole. No Kubernetes name has an underscore, so this is
 *  none. */
export function shortened(beginning: string, whole: string): string {
  const suffix = fingerprint(whole);
  const kept = beginning.slice(0, labelAtMost - suffix.length - 1);
  return kept === '' ? suffix : `${kept}_${suffix}`;
}
