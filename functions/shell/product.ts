/** Name and version shown below each message; a test compares it with package.json. */
export const product = 'poolkeeper 0.1.0';
