# An image of a node: no root, one platform's RocksDB, the repo and the configuration on a volume. `.ci/image/check.mjs` goes through these
# steps without a builder. More: docs/operating.md.
FROM node:24-bookworm AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN node .ci/build.mjs
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund && node .ci/image/prune.mjs
RUN mkdir -p app data lib && ln -s dist/bundle/host/cli/bin.js app/holdfast && cp -L /usr/lib/*-linux-gnu/libatomic.so.1 lib

# the libraries of C and C++ that Node.js and RocksDB need but for libatomic, and no shell
FROM gcr.io/distroless/cc-debian12
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /src/lib /usr/local/lib
COPY --from=build /src/app /app
COPY --from=build /src/package.json /src/LICENSE /src/.ci/image/health.mjs /app/
COPY --from=build /src/node_modules /app/node_modules
COPY --from=build /src/dist/bundle /app/dist/bundle
COPY --from=build --chown=1000:1000 /src/data /data
ENV LD_LIBRARY_PATH=/usr/local/lib NODE_ENV=production HOME=/data HOLDFAST_PATH=/data/repo
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 4001/tcp 4001/udp 5001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "/app/health.mjs"]
ENTRYPOINT ["node", "/app/holdfast"]
CMD ["daemon", "--init"]
