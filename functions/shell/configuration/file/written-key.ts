/** A key as it is written in the file: lengths of time have their unit in the value (`4h`), not in the key. */
export function writtenKey(key: string): string {
  return key === 'reminderSeconds' ? 'reminders' : key.replace(/Seconds$/, '');
}

/** Whether the value of the key is written as one or more lengths of time. */
export function isLengthOfTime(key: string): boolean {
  return key.endsWith('Seconds');
}
