/* Preloaded into the processes of a local stack: when its parent has ended, however it did, a process stops gracefully. */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
