import { Github } from '../../../core/configuration/github.ts';
import { fileForm } from './file-form.ts';

export const GithubFile = fileForm(Github);
