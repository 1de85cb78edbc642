import { Badge, Button, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import type { Setting, SettingChange } from './setting-change.ts';
import { SettingDialog } from './setting-dialog.tsx';
import { settingTexts } from './setting-texts.ts';
import classes from './settings.module.css';

/** Every setting with its value, default and meaning. */
export default function SettingsPage(): ReactNode {
  const t = useTexts(settingTexts);
  const mayWrite = useSession().may('system', 'write');
  const [change, setChange] = useState<SettingChange>();
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call('/system/settings', {}, { signal }),
  });
  const list = (shown: readonly Setting[]): ReactNode => (
    <ul className={classes.settings}>
      {shown.map((setting) => (
        <SettingRow key={setting.key} setting={setting} onChange={mayWrite ? setChange : undefined} />
      ))}
    </ul>
  );
  return (
    <Page title={t.title} lead={t.lead}>
      <Loaded query={settings}>
        {(all) => (
          <>
            {list(all.filter(({ known }) => known))}
            {all.some(({ known }) => !known) && (
              <section aria-label={t.others}>
                <Title order={2} size="h4">
                  {t.others}
                </Title>
                <p>{t.othersLead}</p>
                {list(all.filter(({ known }) => !known))}
              </section>
            )}
          </>
        )}
      </Loaded>
      {change !== undefined && (
        <SettingDialog
          key={`${change.kind} ${change.setting.key}`}
          change={change}
          onClose={() => {
            setChange(undefined);
          }}
        />
      )}
    </Page>
  );
}

function SettingRow({
  setting,
  onChange,
}: {
  readonly setting: Setting;
  readonly onChange: ((change: SettingChange) => void) | undefined;
}): ReactNode {
  const t = useTexts(settingTexts);
  const { key, meaning, set, known } = setting;
  return (
    <li className={classes.setting}>
      <div>
        <strong>{key}</strong>
        <div className={classes.meaning}>{t.meanings[key] ?? meaning}</div>
      </div>
      <div>
        {useShownValue(setting)}{' '}
        <Badge variant="light" color={set ? 'blue' : 'gray'}>
          {set ? t.isSet : t.isDefault}
        </Badge>
        {known && <div className={classes.meaning}>{`${t.initial}: ${setting.default ?? t.none}`}</div>}
      </div>
      {onChange !== undefined && <ChangeButtons setting={setting} onChange={onChange} />}
    </li>
  );
}

function useShownValue({ value, unit, withheld }: Setting): string {
  const t = useTexts(settingTexts);
  const shown = withheld ? t.withheld : (value ?? t.none);
  return unit === 'seconds' ? `${shown} ${t.seconds}` : shown;
}

function ChangeButtons({
  setting,
  onChange,
}: {
  readonly setting: Setting;
  readonly onChange: (change: SettingChange) => void;
}): ReactNode {
  const t = useTexts(settingTexts);
  const { key, set, known } = setting;
  return (
    <div className={classes.buttons}>
      {known && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.change(key)}
          onClick={() => {
            onChange({ setting, kind: 'set' });
          }}
        >
          {t.changeShort}
        </Button>
      )}
      {set && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={known ? t.reset(key) : `${t.removeShort} ${key}`}
          onClick={() => {
            onChange({ setting, kind: 'reset' });
          }}
        >
          {known ? t.resetShort : t.removeShort}
        </Button>
      )}
    </div>
  );
}
