/** `owner/name` of a repository, as `repositoryOf` has it, at the GitHub of this API; undefined: it is elsewhere. The
 *  API of `github.com` and of `<name>.ghe.com` has a host of its own; that of an Enterprise Server has not. */
export function githubPath(repository: string, api: string): string | undefined {
  const host = new URL(api).hostname.replace(/^api\./, '');
  const [at, owner = '', name = '', ...more] = repository.split('/');
  const isPlain = [owner, name].every((part) => /^[A-Za-z0-9._-]{1,100}$/.test(part));
  return at === host && more.length === 0 && isPlain ? `${owner}/${name}` : undefined;
}
