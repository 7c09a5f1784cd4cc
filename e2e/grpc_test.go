package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// grpcServer is a gRPC service: it answers with as many bytes as it is asked
// for, or with the status it is asked for, or never.
type grpcServer struct {
	pb.UnimplementedTestServiceServer
	left chan time.Duration // the time that calls have that are not answered
}

const hangs = "x-hang"

func (s *grpcServer) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	in, _ := metadata.FromIncomingContext(ctx)
	grpc.SendHeader(ctx, metadata.Pairs("x-first", strings.Join(in.Get("x-ask"), ",")))
	grpc.SetTrailer(ctx, metadata.Pairs("x-last-bin", "\x00\xff"))
	if in.Get(hangs) != nil {
		return nil, s.hang(ctx)
	}
	if want := r.GetResponseStatus(); want != nil {
		return nil, status.Error(codes.Code(want.Code), want.Message)
	}
	return &pb.SimpleResponse{Payload: &pb.Payload{Body: make([]byte, r.ResponseSize)}}, nil
}

func (s *grpcServer) EmptyCall(ctx context.Context, _ *pb.Empty) (*pb.Empty, error) {
	if in, _ := metadata.FromIncomingContext(ctx); in.Get(hangs) != nil { // before any header
		return nil, s.hang(ctx)
	}
	return &pb.Empty{}, nil
}

func (s *grpcServer) hang(ctx context.Context) error {
	end, _ := ctx.Deadline()
	s.left <- time.Until(end)
	<-ctx.Done()
	return ctx.Err()
}

func (s *grpcServer) StreamingOutputCall(r *pb.StreamingOutputCallRequest, out pb.TestService_StreamingOutputCallServer) error {
	for _, p := range r.ResponseParameters {
		if err := out.Send(&pb.StreamingOutputCallResponse{Payload: &pb.Payload{Body: make([]byte, p.Size)}}); err != nil {
			return err
		}
	}
	return nil
}

func (s *grpcServer) StreamingInputCall(in pb.TestService_StreamingInputCallServer) error {
	size := 0
	for {
		r, err := in.Recv()
		if err == io.EOF {
			return in.SendAndClose(&pb.StreamingInputCallResponse{AggregatedPayloadSize: int32(size)})
		}
		if err != nil {
			return err
		}
		size += len(r.Payload.Body)
	}
}

// FullDuplexCall answers each message before it waits for the next.
func (s *grpcServer) FullDuplexCall(both pb.TestService_FullDuplexCallServer) error {
	for {
		r, err := both.Recv()
		if err == io.EOF {
			return status.Error(codes.DataLoss, "50 % of it: ütf")
		}
		if err != nil {
			return err
		}
		if err := both.Send(&pb.StreamingOutputCallResponse{Payload: r.Payload}); err != nil {
			return err
		}
	}
}

// dialGRPC runs a sidecar before a gRPC service, and a client that uses it.
func dialGRPC(t *testing.T, settings string, others ...string) (pb.TestServiceClient, *grpcServer, *sidecar) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	service := &grpcServer{left: make(chan time.Duration, 100)}
	server := grpc.NewServer()
	pb.RegisterTestServiceServer(server, service)
	go server.Serve(l)
	t.Cleanup(server.Stop)
	s := guard(t, strings.Join(append(others, fmt.Sprintf("ask: {url: \"http://%s\"%s}", l.Addr(), settings)), "\n"))
	return clientGRPC(t, s, "ask"), service, s
}

func clientGRPC(t *testing.T, s *sidecar, authority string) pb.TestServiceClient {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+s.addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithAuthority(authority))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return pb.NewTestServiceClient(conn)
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestGRPC(t *testing.T) {
	ask, service, s := dialGRPC(t, ", timeout: {attempt: 10s}")

	t.Run("unary", func(t *testing.T) {
		var header, trailer metadata.MD
		ctx := metadata.AppendToOutgoingContext(within(t, bound), "x-ask", "one", "x-ask", "two")
		r, err := ask.UnaryCall(ctx, &pb.SimpleRequest{ResponseSize: 300_000, Payload: &pb.Payload{Body: make([]byte, 300_000)}}, grpc.Header(&header), grpc.Trailer(&trailer))
		if err != nil || len(r.Payload.Body) != 300_000 {
			t.Fatal(err)
		}
		if got := header.Get("x-first"); len(got) != 1 || got[0] != "one,two" || header.Get("stanch-source")[0] != "live" {
			t.Errorf("header %v", header)
		}
		if got := trailer.Get("x-last-bin"); len(got) != 1 || got[0] != "\x00\xff" {
			t.Errorf("trailer %v", trailer)
		}
	})
	t.Run("status", func(t *testing.T) {
		_, err := ask.UnaryCall(within(t, bound), &pb.SimpleRequest{ResponseStatus: &pb.EchoStatus{Code: 9, Message: "not so: ü\t50 %"}})
		if s := status.Convert(err); s.Code() != codes.FailedPrecondition || s.Message() != "not so: ü\t50 %" {
			t.Error(err)
		}
		both, err := ask.HalfDuplexCall(within(t, bound))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := both.Recv(); status.Code(err) != codes.Unimplemented {
			t.Error(err)
		}
	})
	t.Run("server streams", func(t *testing.T) {
		out, err := ask.StreamingOutputCall(within(t, bound), &pb.StreamingOutputCallRequest{ResponseParameters: []*pb.ResponseParameters{{Size: 1}, {Size: 100_000}, {Size: 0}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 100_000, 0} {
			if r, err := out.Recv(); err != nil || len(r.Payload.Body) != size {
				t.Fatal(size, err)
			}
		}
		if _, err := out.Recv(); err != io.EOF {
			t.Error(err)
		}
	})
	t.Run("client streams", func(t *testing.T) {
		in, err := ask.StreamingInputCall(within(t, bound))
		if err != nil {
			t.Fatal(err)
		}
		for range 50 { // more than the 64 KiB that could be sent again
			if err := in.Send(&pb.StreamingInputCallRequest{Payload: &pb.Payload{Body: make([]byte, 10_000)}}); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := in.CloseAndRecv(); err != nil || r.AggregatedPayloadSize != 500_000 {
			t.Error(r, err)
		}
	})
	t.Run("both stream", func(t *testing.T) {
		both, err := ask.FullDuplexCall(within(t, bound))
		if err != nil {
			t.Fatal(err)
		}
		for n := range 50 { // each waits for its answer, so nothing may be held back
			if err := both.Send(&pb.StreamingOutputCallRequest{Payload: &pb.Payload{Body: make([]byte, n)}}); err != nil {
				t.Fatal(err)
			}
			if r, err := both.Recv(); err != nil || len(r.GetPayload().GetBody()) != n {
				t.Fatal(n, err)
			}
		}
		both.CloseSend()
		_, err = both.Recv()
		if s := status.Convert(err); s.Code() != codes.DataLoss || s.Message() != "50 % of it: ütf" {
			t.Error(err)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		began := time.Now()
		_, err := ask.EmptyCall(metadata.AppendToOutgoingContext(within(t, 300*time.Millisecond), hangs, "1"), &pb.Empty{})
		if status.Code(err) != codes.DeadlineExceeded || time.Since(began) > 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if left := <-service.left; left <= 0 || left > 300*time.Millisecond {
			t.Errorf("the service was told that it has %v, of 300ms", left)
		}
	})
	t.Run("not declared", func(t *testing.T) {
		_, err := clientGRPC(t, s, "nobody").EmptyCall(within(t, bound), &pb.Empty{})
		if status.Code(err) != codes.PermissionDenied {
			t.Error(err)
		}
	})
}

// A refusal is a status of gRPC, so that clients see why and can act on it.
func TestGRPCRefusals(t *testing.T) {
	ask, service, _ := dialGRPC(t, ", timeout: {attempt: 100ms}, breaker: {consecutive: 2, cooldown: 1h}")
	for range 2 {
		_, err := ask.EmptyCall(metadata.AppendToOutgoingContext(within(t, bound), hangs, "1"), &pb.Empty{})
		if status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("an attempt that hangs: %v", err)
		}
		<-service.left
	}
	var trailer metadata.MD
	_, err := ask.EmptyCall(within(t, bound), &pb.Empty{}, grpc.Trailer(&trailer))
	if s := status.Convert(err); s.Code() != codes.Unavailable || !strings.Contains(s.Message(), "breaker") {
		t.Errorf("with the breaker open: %v", err)
	}
	if got := trailer.Get("stanch-refused"); len(got) != 1 || got[0] != "breaker_open" {
		t.Errorf("trailer %v", trailer)
	}
}
