/** A short text that differs for different texts, for practical purposes: two runs of FNV-1a with different beginnings,
 *  32 bits each. Only for comparing with an earlier reading, never as a proof of anything. */
export function fingerprint(text: string): string {
  let [one, other] = [0x811c9dc5, 0x2f0b4a27];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x01000193);
    // Otherwise the two runs would meet for the same texts.
    other = Math.imul(other ^ (other >>> 15), 0x2c1b3c6d);
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
