/** How a key stands in the file: lengths of time have their unit in the text behind it, not in their key. */
export function writtenKey(key: string): string {
  return key === 'reminderSeconds' ? 'reminders' : key.replace(/Seconds$/, '');
}

/** What stands behind the key is written as lengths of time. */
export function isLengthOfTime(key: string): boolean {
  return key.endsWith('Seconds');
}
