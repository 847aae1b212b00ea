/** Whoever typed the command can mend it: the message is printed without a stack trace. */
export class CannotDeploy extends Error {
  override readonly name = 'CannotDeploy';
}
