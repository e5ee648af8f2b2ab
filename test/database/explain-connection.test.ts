import test from 'ava';
import { explainConnection } from '#src/database/explain-connection.ts';

test('explainConnection says how to connect over TLS, by what is wrong with the certificate', (t) => {
  const adviceOn = (code: string) => explainConnection(Object.assign(new Error('TLS'), { code }))?.advice ?? '';
  t.regex(adviceOn('DEPTH_ZERO_SELF_SIGNED_CERT'), /sslrootcert/);
  t.regex(adviceOn('CERT_HAS_EXPIRED'), /sslrootcert/);
  t.regex(adviceOn('ERR_TLS_CERT_ALTNAME_INVALID'), /by a host name that its certificate contains/);
});

test('explainConnection explains no error of a statement', (t) => {
  t.is(explainConnection(Object.assign(new Error('duplicate key'), { code: '23505' })), undefined);
});
