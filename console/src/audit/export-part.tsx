import { Alert, Button, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Failure } from '../design/failure.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { auditTexts } from './audit-texts.ts';
import classes from './audit.module.css';
import { saveFile } from '../design/save-file.ts';
import { fetchExport } from './download-export.ts';

/** The export of one page: it ends with the page, where nobody could see or cancel it any more. */
function useExport(filters: object) {
  const [bytes, setBytes] = useState(0);
  const running = useRef(new AbortController());
  const cancel = useCallback(() => {
    running.current.abort();
  }, []);
  useEffect(() => cancel, [cancel]);
  const download = useMutation({
    mutationFn: async (form: 'jsonl' | 'csv') => {
      setBytes(0);
      running.current = new AbortController();
      const { signal } = running.current;
      const file = await fetchExport({ ...filters, format: form }, { signal, onProgress: setBytes });
      saveFile(file);
      return file.isVerifiable;
    },
  });
  return { bytes, cancel, download };
}

/** Saves what a search selects as a file. */
export function ExportPart({ filters }: { readonly filters: object }): ReactNode {
  const t = useTexts(auditTexts);
  const format = useFormat();
  const { bytes, cancel, download } = useExport(filters);
  const error = download.error?.name === 'AbortError' ? null : download.error;
  return (
    <section className={classes.part}>
      <Title order={2} className={classes.heading}>
        {t.export}
      </Title>
      <p className={classes.note}>{t.exportLead}</p>
      <div className={classes.line}>
        {(['jsonl', 'csv'] as const).map((form) => (
          <Button
            key={form}
            variant="default"
            disabled={download.isPending}
            onClick={() => {
              download.mutate(form);
            }}
          >
            {form === 'csv' ? t.csv : t.jsonLines}
          </Button>
        ))}
        {download.isPending && (
          <>
            <span>{t.received(`${format.number(Math.ceil(bytes / 1024))} KiB`)}</span>
            <Button variant="subtle" onClick={cancel}>
              {t.cancel}
            </Button>
          </>
        )}
      </div>
      <Failure error={error} />
      {download.data !== undefined && (
        <Alert role="status" color="blue" variant="light">
          {download.data ? t.verifiable : t.notVerifiable}
        </Alert>
      )}
    </section>
  );
}
