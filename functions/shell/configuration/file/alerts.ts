import { Alerts } from '../../../core/configuration/alerts.ts';
import { fileForm } from './file-form.ts';

export const AlertsFile = fileForm(Alerts);
