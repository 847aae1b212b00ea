/** Something that whoever runs the command can fix: only the message is printed, without a stack trace. */
export class CannotDeploy extends Error {
  override readonly name = 'CannotDeploy';
}
