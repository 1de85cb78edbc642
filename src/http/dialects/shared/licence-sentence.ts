import { lastDayOf } from '../../../monitoring/licence.ts';
import type { LicenceReport } from '../../../monitoring/reports.ts';
import { translate } from '../../messages/catalogue.ts';
import type { Language } from '../../messages/languages.ts';

/** @returns the reason why a licence is not valid, as a sentence for clients */
export function licenceSentence(
  report: Extract<LicenceReport, { kind: 'invalid' }>,
  language: Language,
): string {
  switch (report.reason) {
    case 'unreadable':
      return 'license could not be read!';
    case 'unverified':
      return 'signature could not be verified!';
    case 'early':
      return `not valid before '${report.startsAt.toISOString()}'`;
    case 'expired':
      return `expired - valid till '${lastDayOf(report.licence)}'`;
    case 'exceeded': {
      const { active, licence } = report;
      const { unit, licensed } = licence;
      return unit === 'user'
        ? `volume exceeded: ${active} token users found > ${licensed} token users licensed.`
        : translate('licence/exceeded', language, { active, licensed });
    }
  }
}
